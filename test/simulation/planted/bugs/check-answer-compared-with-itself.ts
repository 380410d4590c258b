import type { PlantedBug } from '../planted-bug';

/** The answer of a merchant server is held against what it says itself, so that the answer to another check will do. */
export const checkAnswerComparedWithItself: PlantedBug = {
  name: 'check-answer-compared-with-itself',
  edits: [
    {
      file: 'libs/merchant-server-client/check-call.ts',
      find: `  if (!isDeviceSignature(signatureOf(checked, answer, key), checkSignature)) return failed('wrong-signature');
  const isOurs = response.invoiceId === checked.invoiceId && nonce === checked.nonce && token === checked.token;`,
      put: `  const told = { ...checked, nonce, token, invoiceId: response.invoiceId };
  if (!isDeviceSignature(signatureOf(told, answer, key), checkSignature)) return failed('wrong-signature');
  const isOurs = response.invoiceId === told.invoiceId && nonce === told.nonce && token === told.token;`,
    },
  ],
  seed: 5,
  violates: 'a device order is charged once its merchant confirms it',
};
