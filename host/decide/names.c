#include "host/decide/names.h"

host_name host_name_from(const char *text, size_t length) {
  host_name name;
  size_t n = 0;
  for (; n < length && n + 1 < sizeof name.text; n++) {
    name.text[n] = text[n] > ' ' && text[n] < 0x7F ? text[n] : text[n] == ' ' ? ' ' : '?';
  }
  name.text[n] = '\0';
  return name;
}

static host_name string_at(const arn_model *m, uint32_t at) {
  uint32_t length;
  const char *text = arn_model_string(m, at, &length);
  return host_name_from(text, length);
}

host_name host_name_of_tensor(const arn_model *m, uint32_t subgraph, uint32_t tensor) {
  arn_subgraph g;
  arn_tensor t;
  if (arn_model_subgraph(m, subgraph, &g) != ARN_OK || tensor >= g.tensor_count) {
    return host_name_from("?", 1);
  }
  arn_model_tensor(m, &g, tensor, &t);
  return string_at(m, t.name_at);
}

host_name host_name_of_node(const arn_model *m, uint32_t subgraph, uint32_t node) {
  arn_subgraph g;
  arn_node n;
  if (arn_model_subgraph(m, subgraph, &g) != ARN_OK || node >= g.node_count) {
    return host_name_from("?", 1);
  }
  arn_model_node(m, &g, node, &n);
  if (n.code == ARN_CODE_CUSTOM) return string_at(m, n.name_at);
  const char *name = arn_code_name(n.code);
  size_t length = 0;
  while (name[length] != '\0') length++;
  return host_name_from(name, length);
}
