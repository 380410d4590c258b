import { checkUrlAtAcceptance, type EgressPolicy } from '@app/egress';

/** The first field whose address this house would never call, with the reason (safety, T16); no name is looked up here. */
export const addressFault = (
  policy: EgressPolicy,
  fields: readonly (readonly [name: string, url: string | undefined])[],
): string | undefined => {
  for (const [name, url] of fields) {
    if (url === undefined) continue;
    const check = checkUrlAtAcceptance(url, policy);
    if (check.kind === 'refused') return `${name}: this address is not called (${check.reason})`;
  }
  return undefined;
};
