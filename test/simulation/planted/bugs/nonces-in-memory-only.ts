import type { PlantedBug } from '../planted-bug';

/** Nonces are known to the process that saw them, and to no other. */
export const noncesInMemoryOnly: PlantedBug = {
  name: 'nonces-in-memory-only',
  edits: [
    {
      file: 'apps/orchestrator/src/merchant-api/oauth/oauth-verifier.ts',
      find: '  constructor(private readonly ports: OAuthVerifierPorts) {}',
      put: `  readonly #seen = new Set<string>();

  constructor(private readonly ports: OAuthVerifierPorts) {}`,
    },
    {
      file: 'apps/orchestrator/src/merchant-api/oauth/oauth-verifier.ts',
      find: `    const claim = await claimUnique(storeWithin(store, exchange.deadline), NONCE, nonceKey, exchange.serial, envelope);
    return typeof claim === 'string';`,
      put: `    void [store, envelope, claimUnique, storeWithin];
    const isNew = !this.#seen.has(nonceKey);
    this.#seen.add(nonceKey);
    return Promise.resolve(isNew);`,
    },
  ],
  seed: 2,
  violates: 'a signed request is served once',
};
