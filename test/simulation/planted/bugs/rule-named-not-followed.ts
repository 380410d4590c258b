import type { PlantedBug } from '../planted-bug';

/** The rule that held is recorded, and the order goes to the gates of the entry point's cascade all the same. */
export const ruleNamedNotFollowed: PlantedBug = {
  name: 'rule-named-not-followed',
  edits: [
    {
      file: 'libs/order-processing/routing/domain/choose-route.ts',
      find: 'return { name: rule.name, choice: rule.choice, why }',
      put: "return { name: rule.name, choice: { kind: 'cascade', gates: able }, why }",
    },
  ],
  seed: 3,
  violates: 'an order goes to the gates of its rule',
};
