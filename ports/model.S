// The model file as it is, where 64-bit elements and vector loads want it.
    .section .model, "a"
    .balign 16
    .global port_model, port_model_end
port_model:
    .incbin MODEL
port_model_end:
