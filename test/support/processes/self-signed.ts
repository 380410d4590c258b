import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  readonly key: string;
  readonly certificate: string;
}

const DAY_MS = 86_400_000;
const [SEQUENCE, SET, INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8_STRING, UTC_TIME, BOOLEAN] = [0x30, 0x31, 2, 3, 4, 6, 12, 23, 1];
const EXPLICIT = 0xa0;
const VERSION_3 = 2;
const SHORT_LENGTH_MAX = 127;

const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  if (body.length <= SHORT_LENGTH_MAX) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
};
const objectId = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, 'hex'));
const ECDSA_WITH_SHA256 = der(SEQUENCE, objectId('2a8648ce3d040302'));
const COMMON_NAME = objectId('550403');
const BASIC_CONSTRAINTS = objectId('551d13');
const SUBJECT_ALTERNATIVE_NAME = objectId('551d11');
const IP_ADDRESS = 0x87;

const named = (name: string): Buffer => der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))));
const time = (ms: number): Buffer => der(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
const extension = (id: Buffer, value: Buffer): Buffer => der(SEQUENCE, id, der(OCTET_STRING, value));
const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** A self-signed certificate (RFC 5280) for 127.0.0.1, valid for a day. It is made at run time to keep keys out of the repository. */
export const selfSigned = (name: string): SelfSigned => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const extensions = der(
    SEQUENCE,
    extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, Buffer.from([0xff])))),
    extension(SUBJECT_ALTERNATIVE_NAME, der(SEQUENCE, der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])))),
  );
  const body = der(
    SEQUENCE,
    der(EXPLICIT, der(INTEGER, Buffer.from([VERSION_3]))),
    der(INTEGER, serial),
    ECDSA_WITH_SHA256,
    named(name),
    der(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXPLICIT + 3, extensions),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: pem(der(SEQUENCE, body, ECDSA_WITH_SHA256, signature)),
  };
};
