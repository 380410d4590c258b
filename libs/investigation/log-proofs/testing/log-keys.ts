import { createPrivateKey } from 'node:crypto';

const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Fixed test key in PEM, so that signatures are the same in every run. */
export const keyOfSeed = (byte: number): string =>
  createPrivateKey({ key: Buffer.concat([PKCS8_OF_ED25519, Buffer.alloc(32, byte)]), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
