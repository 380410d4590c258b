import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemMonotonic, systemScheduler } from '@app/kernel';
import { ipRange } from '@app/configuration';
import { openEgress } from './egress';
import { egressPolicyOf } from './target';

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const text = (tag: number, value: string) => tlv(tag, Buffer.from(value, 'latin1'));
const SHA256_WITH_RSA = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), tlv(5));

/** Self-signed, for one DNS name, valid in any year of a test run. */
const certificateFor = (dnsName: string, key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }): string => {
  const name = sequence(tlv(0x31, sequence(Buffer.from('0603550403', 'hex'), text(0x0c, dnsName))));
  const validity = sequence(text(0x18, '20200101000000Z'), text(0x18, '21200101000000Z'));
  const alternativeName = sequence(Buffer.from('0603551d11', 'hex'), tlv(4, sequence(text(0x82, dnsName))));
  const body = sequence(
    tlv(0xa0, tlv(2, Buffer.from([2]))),
    tlv(2, Buffer.from([1])),
    SHA256_WITH_RSA,
    name,
    validity,
    name,
    key.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(alternativeName)),
  );
  const der = sequence(body, SHA256_WITH_RSA, tlv(3, Buffer.from([0]), sign('sha256', body, key.privateKey)));
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
};

const NAME = 'callbacks.merchant.example';
const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const cert = certificateFor(NAME, key);
const names: (string | false | null)[] = [];
const server = createServer({ key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert }, (message, response) => {
  names.push((message.socket as TLSSocket).servername ?? null);
  response.end(message.headers.host);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const send = async (host: string, trustedAuthorities?: string) => {
  const { port } = server.address() as AddressInfo;
  const policy = egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: false }, true);
  const egress = openEgress({
    policy,
    monotonic: systemMonotonic,
    scheduler: systemScheduler,
    resolveName: () => Promise.resolve(['127.0.0.1']),
    ...(trustedAuthorities === undefined ? {} : { trustedAuthorities }),
  });
  try {
    return await egress.send({ method: 'POST', url: `https://${host}:${port}/`, source: 'configuration', headers: {}, body: '{}' });
  } finally {
    await egress.close();
  }
};

it('connects to the checked address and sends the host name in SNI, certificate check and Host', async () => {
  const { port } = server.address() as AddressInfo;
  expect(await send(NAME, cert)).toEqual({ kind: 'answered', status: 200, body: `${NAME}:${port}` });
  expect(names).toEqual([NAME]);
});

it.each([
  ['without a trusted authority', NAME, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another name', 'other.merchant.example', cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['for a name if the target is an address', '127.0.0.1', cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('refuses a certificate %s', async (_case, host, authorities, code) => {
  const before = names.length;
  expect(await send(host, authorities)).toEqual({ kind: 'connection-failed', code });
  expect(names).toHaveLength(before);
});

it('refuses an untrusted certificate even if the environment disables certificate checks', async () => {
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    expect(await send(NAME)).toEqual({ kind: 'connection-failed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  }
});
