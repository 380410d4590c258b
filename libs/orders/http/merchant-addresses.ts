import { checkUrlAtAcceptance, type EgressPolicy, type TargetRefusal } from '@app/http/client';

/** The rule that the address breaks, for the merchant's developer. */
const ruleFor = (refusal: TargetRefusal, { isPlainHttpOpen, requestPorts }: EgressPolicy): string => {
  if (refusal === 'malformed' || refusal === 'userinfo') return 'must be an absolute address without user name';
  if (refusal === 'scheme') return `must begin with https://${isPlainHttpOpen ? ' or http://' : ''}`;
  if (refusal === 'port') return `must have one of the ports ${[...requestPorts].sort((left, right) => left - right).join(', ')}`;
  return `must lead to a public address, and this one is ${refusal}`;
};

/** Names the first field whose address the egress policy refuses, with the reason (safety, T16). Host names are not resolved here. */
export const findAddressFault = (
  policy: EgressPolicy,
  fields: readonly (readonly [name: string, url: string | undefined])[],
): string | undefined => {
  for (const [name, url] of fields) {
    if (url === undefined) continue;
    const check = checkUrlAtAcceptance(url, policy);
    if (check.kind === 'refused') return `${name} ${ruleFor(check.reason, policy)}`;
  }
  return undefined;
};
