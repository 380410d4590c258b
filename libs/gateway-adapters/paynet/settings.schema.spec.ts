import { generateKeyPairSync } from 'node:crypto';
import { paynetSecrets } from './settings.schema';

const { accepts } = paynetSecrets.oauthPrivateKey;
const pemOf = ({ privateKey }: { readonly privateKey: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer } }): string =>
  String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

describe('the key that signs create-card-ref v4', () => {
  it('must be an RSA private key of at least 2,048 bits', () => {
    expect(accepts(pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 })))).toBe(true);
    expect(accepts(pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 })))).toBe(false);
    expect(accepts(pemOf(generateKeyPairSync('ed25519')))).toBe(false);
    expect(accepts('no key at all')).toBe(false);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    expect(accepts(String(publicKey.export({ type: 'spki', format: 'pem' })))).toBe(false);
  });
});
