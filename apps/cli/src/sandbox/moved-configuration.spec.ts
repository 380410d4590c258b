import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { configurationWithPorts } from './settings';

const TEMPLATE = `
publicBaseUrl: http://127.0.0.1:8080
egress: { allow: ['127.0.0.1'], ports: [8081, 9000] }
merchants:
  - { login: acme, oauthPublicKeyFile: acme.pub.pem, controlKeyFile: /run/key, merchantUrl: 'http://127.0.0.1:8081/x', siteUrl: 'http://127.0.0.1:80/' }
`;

let folder: string;
let template: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'moved-configuration-'));
  template = join(folder, 'shop.yaml');
  writeFileSync(template, TEMPLATE);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('writes a copy with the new ports and absolute key file paths into the data folder', () => {
  const ports = new Map([
    [8080, 5080],
    [8081, 5081],
  ]);
  const path = configurationWithPorts(template, ports, join(folder, 'data'));
  expect(path).toBe(join(folder, 'data', 'shop.yaml'));
  expect(parse(readFileSync(path, 'utf8'))).toStrictEqual({
    publicBaseUrl: 'http://127.0.0.1:5080',
    egress: { allow: ['127.0.0.1'], ports: [5081, 9000] },
    merchants: [
      {
        login: 'acme',
        oauthPublicKeyFile: join(folder, 'acme.pub.pem'),
        controlKeyFile: '/run/key',
        merchantUrl: 'http://127.0.0.1:5081/x',
        siteUrl: 'http://127.0.0.1:80/',
      },
    ],
  });
});
