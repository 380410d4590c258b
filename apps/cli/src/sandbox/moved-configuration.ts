import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, visit, type Document } from 'yaml';

const ADDRESS = /^http:\/\/127\.0\.0\.1:(\d+)/;

/**
 * The template itself where each of its ports stays; else a copy of it beside the data that names the others.
 * @param ports by those that the template names
 */
export const configurationWithPorts = (template: string, ports: ReadonlyMap<number, number>, dataDir: string): string => {
  if ([...ports].every(([named, taken]) => named === taken)) return template;
  const document = parseDocument(readFileSync(template, 'utf8'));
  moveAddresses(document, ports);
  moveEgressPorts(document, ports);
  nameKeyFilesFrom(document, dirname(template));
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, basename(template));
  writeFileSync(path, document.toString());
  return path;
};

const moveAddresses = (document: Document, ports: ReadonlyMap<number, number>): void => {
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replace(ADDRESS, (address, named: string) => {
        const taken = ports.get(Number(named));
        return taken === undefined ? address : `http://127.0.0.1:${taken}`;
      });
    },
  });
};

const moveEgressPorts = (document: Document, ports: ReadonlyMap<number, number>): void => {
  const named = document.getIn(['egress', 'ports']);
  if (!isSeq(named)) return;
  for (const item of named.items) if (isScalar(item)) item.value = ports.get(Number(item.value)) ?? item.value;
};

/** Makes key files absolute, since a relative name starts at the folder of its configuration file. */
const nameKeyFilesFrom = (document: Document, folder: string): void => {
  const merchants = document.get('merchants');
  if (!isSeq(merchants)) return;
  for (const merchant of merchants.items) {
    if (!isMap(merchant)) continue;
    for (const { key, value } of merchant.items) {
      if (!isScalar(key) || !isScalar(value) || !String(key.value).endsWith('File')) continue;
      const named = String(value.value);
      value.value = isAbsolute(named) ? named : join(folder, named);
    }
  }
};
