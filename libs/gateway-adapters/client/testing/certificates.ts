import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** In PEM; self-signed, so clients trust `certificate` itself. */
export interface PeerCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const length = content.byteLength;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
};
const identifier = (hex: string): Buffer => Buffer.from(hex, 'hex');
const ECDSA_WITH_SHA256 = der(SEQUENCE, identifier('06082a8648ce3d040302'));
const COMMON_NAME = identifier('0603550403');
const SUBJECT_ALTERNATIVE_NAME = identifier('0603551d11');

const alternativeName = (name: string): Buffer =>
  isIPv4(name) ? der(IP_ADDRESS, Uint8Array.from(name.split('.').map(Number))) : der(DNS_NAME, Buffer.from(name));

const body = (name: string, publicKey: KeyObject): Buffer => {
  const holder = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))));
  // Valid in any year of a test run.
  const validity = ['20200101000000Z', '21200101000000Z'].map((at) => der(GENERALIZED_TIME, Buffer.from(at)));
  const names = der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, der(SEQUENCE, alternativeName(name))));
  return der(
    SEQUENCE,
    der(EXPLICIT_0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    holder,
    der(SEQUENCE, ...validity),
    holder,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXPLICIT_3, der(SEQUENCE, names)),
  );
};

export const certificateFor = (name: string): PeerCertificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = body(name, publicKey);
  const whole = der(SEQUENCE, signed, ECDSA_WITH_SHA256, der(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
};
