import { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Secret } from '@app/kernel';
import type { Configuration } from './configuration';
import type { GateSettings } from './gates/gate.schema';
import type { Accounts, EntryPoint } from './merchants/accounts';

/** Compares secrets and keys too, whose contents a general comparison does not see. */
export const isSameSetting = (one: unknown, other: unknown): boolean => {
  if (one instanceof Secret) return other instanceof Secret && isSameSetting(one.reveal(), other.reveal());
  if (one instanceof KeyObject) return other instanceof KeyObject && one.type === other.type && one.equals(other);
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return isDeepStrictEqual(one, other);
  if (one instanceof Set) return other instanceof Set && isSameSetting([...(one as Set<unknown>)], [...(other as Set<unknown>)]);
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const [members, others] = [one, other].map((value) => Object.entries(value));
  if (members === undefined || members.length !== others?.length) return false;
  return members.every(([name, value]) => Object.hasOwn(other, name) && isSameSetting(value, (other as Record<string, unknown>)[name]));
};

type Starting = Exclude<
  keyof Configuration,
  'callbacks' | 'groupB' | 'threeDSecure' | 'rateLimit' | 'approvals' | 'operators' | 'signIn' | 'accounts' | 'warnings'
>;

/** Read only when a process starts: each with its name in the file, and the reason. */
const STARTING: Readonly<Record<Starting, readonly [name: string, why: string]>> = {
  publicBaseUrl: ['publicBaseUrl', 'gates and payers have addresses with the former one'],
  pathPrefix: ['pathPrefix', 'gates and payers have addresses with the former one'],
  egress: ['egress', 'open connections keep their targets'],
  retention: ['retention', 'the times of all orders are calculated again at a start'],
  keepAliveMs: ['keepAliveSeconds', 'open connections keep their time'],
  documents: ['documents', 'the pages are made at a start'],
  orderIds: ['orderIds', 'the ids of the next orders are made already'],
};

const REMOVED = 'its removal needs a restart';

/**
 * Why a running process cannot take a configuration, each with its path; empty if it can. Accepted orders may still need a merchant's keys,
 * an entry point or a gate, so none of them is removed while it runs.
 */
const restartFaults = (before: Configuration, next: Configuration): readonly string[] => {
  const removed = <Item>(list: readonly Item[], left: readonly Item[], nameOf: (item: Item) => string): readonly string[] => {
    const names = new Set(left.map(nameOf));
    return list.map(nameOf).filter((name) => !names.has(name));
  };
  const [old, accounts] = [before.accounts, next.accounts];
  const endpointsOf = ({ merchants }: Accounts) => merchants.flatMap(({ endpoints }) => endpoints);
  const groupsOf = ({ merchants }: Accounts) => merchants.flatMap(({ groups }) => groups);
  const entryPoint = ({ id, merchant }: Pick<EntryPoint, 'id' | 'merchant'>): string => `${id} of ${merchant}`;
  const adapters = new Map(accounts.gates.map(({ alias, adapter }) => [alias, adapter]));
  return [
    ...(Object.entries(STARTING) as [Starting, (typeof STARTING)[Starting]][])
      .filter(([member]) => !isSameSetting(before[member], next[member]))
      .map(([, [name, why]]) => `${name}: needs a restart, because ${why}`),
    ...removed(old.merchants, accounts.merchants, ({ login }) => login).map((name) => `merchant ${name}: ${REMOVED}`),
    ...removed(groupsOf(old), groupsOf(accounts), entryPoint).map((name) => `group ${name}: ${REMOVED}`),
    ...removed(endpointsOf(old), endpointsOf(accounts), entryPoint).map((name) => `entry point ${name}: ${REMOVED}; hold it until then`),
    ...removed(old.gates, accounts.gates, ({ alias }) => alias).map((name) => `gate ${name}: ${REMOVED}; hold it until then`),
    ...old.gates
      .filter(({ alias, adapter }) => adapters.has(alias) && adapters.get(alias) !== adapter)
      .map(({ alias }) => `gate ${alias}: another adapter needs a restart`),
  ];
};

/**
 * Prepares a part for the next configuration and changes nothing yet.
 * @returns takes the change; must not fail
 * @throws Error if the part cannot take it
 */
type ConfigurationPart<Gate extends GateSettings = GateSettings> = (next: Configuration<Gate>) => () => void;

/** A view with the members of the current value, so that code which reads them at each use follows a change. */
const viewOf = <Value extends object>(shape: Value, current: () => Value): Value =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      (Object.keys(shape) as (keyof Value)[]).map((name) => [name, { enumerable: true, configurable: true, get: () => current()[name] }]),
    ),
  ) as Value;

/** The configuration of this process, which takes another one as a whole or not at all. */
export class LiveConfiguration<Gate extends GateSettings = GateSettings> {
  #current: Configuration<Gate>;
  readonly #parts: ConfigurationPart<Gate>[] = [];
  /** Always the current one. */
  readonly view: Configuration<Gate>;

  constructor(initial: Configuration<Gate>) {
    this.#current = initial;
    const accounts = viewOf(initial.accounts, () => this.#current.accounts);
    this.view = Object.freeze(
      Object.defineProperty(
        viewOf(initial, () => this.#current),
        'accounts',
        { enumerable: true, value: accounts },
      ),
    );
  }

  get current(): Configuration<Gate> {
    return this.#current;
  }

  /** Parts that copy settings take part in each change, in this order. */
  onChange(part: ConfigurationPart<Gate>): void {
    this.#parts.push(part);
  }

  /** Why it cannot be taken without a restart; empty if it can. */
  restartFaults(next: Configuration<Gate>): readonly string[] {
    return restartFaults(this.#current, next);
  }

  /**
   * @returns why it needs a restart; empty if it was taken
   * @throws Error of a part; then nothing was changed
   */
  take(next: Configuration<Gate>): readonly string[] {
    const faults = this.restartFaults(next);
    if (faults.length > 0) return faults;
    const takes = this.#parts.map((part) => part(next));
    this.#current = next;
    for (const take of takes) take();
    return [];
  }
}
