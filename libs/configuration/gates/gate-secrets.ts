import type { Secret } from '@app/kernel';
import { secretAt, type CredentialSearch } from '../merchants/credentials';
import { list, readable, text } from '../merchants/references';
import type { AdapterSchema } from './gate-settings';

/** The secrets of one gate, by their names. */
export type GateSecrets = Readonly<Record<string, Secret<string>>>;

/** A key that holds a secret has a second one that names its file. */
export const fileKeyOf = (name: string): string => `${name}File`;

const named = readable({ gates: list(readable({ adapter: text() })) });

/**
 * The secrets of each gate of a configuration, in their order, read as its adapter wants them: whatever else is wrong with the file, so that one start
 * reports all faults.
 */
export const gateSecretsOf = (value: unknown, adapters: readonly AdapterSchema[], search: CredentialSearch): readonly GateSecrets[] =>
  named.parse(value).gates.map(({ adapter }, index): GateSecrets => {
    const forms = Object.entries(adapters.find(({ name }) => name === adapter)?.secrets ?? {});
    const keys = Object.fromEntries(forms.flatMap(([name]) => [[name, text()] as const, [fileKeyOf(name), text()] as const]));
    const entry = readable({ gates: list(readable(keys)) }).parse(value).gates[index] ?? {};
    const found = forms.flatMap(([name, { isRequired, what, accepts }]) => {
      const secret = secretAt(
        {
          name,
          inFile: entry[name],
          named: entry[fileKeyOf(name)],
          parent: ['gates', index],
          isRequired,
          what,
          accepts,
          isPublished: () => false,
        },
        search,
      );
      return secret === undefined ? [] : [[name, secret] as const];
    });
    return Object.freeze(Object.fromEntries(found));
  });
