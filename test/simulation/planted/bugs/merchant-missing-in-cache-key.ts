import type { PlantedBug } from '../planted-bug';

/** Card references are remembered by their id alone. */
export const merchantMissingInCacheKey: PlantedBug = {
  name: 'merchant-missing-in-cache-key',
  edits: [
    {
      file: 'libs/card-registration/application/issued-references.ts',
      find: '  readonly #streams;',
      put: `  readonly #streams;
  readonly #known = new Map<string, never>();`,
    },
    {
      file: 'libs/card-registration/application/issued-references.ts',
      find: `    const { state } = await this.#streams.load(cardReferenceStream(merchant, cardRefId), deadline);
    return state.status`,
      put: `    const known = this.#known.get(cardRefId);
    const { state } = known ?? (await this.#streams.load(cardReferenceStream(merchant, cardRefId), deadline));
    if (state.status === 'issued') this.#known.set(cardRefId, { state } as never);
    return state.status`,
    },
  ],
  seed: 10,
  violates: 'a card is charged by its own merchant',
};
