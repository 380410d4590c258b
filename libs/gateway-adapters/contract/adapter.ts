import type { AdapterSchema, GateSettingsOf, SecretForms } from '@app/configuration/gates';
import type { Gate } from './gate';
import type { SettlementFormat } from './settlement';

export type GateCapability = Exclude<keyof Gate, 'profile'>;

/** A gate that has these capabilities at most. */
type GateWith<Capability extends GateCapability> = Pick<Gate, 'profile' | Capability> & {
  readonly [Other in Exclude<GateCapability, Capability>]?: never;
};

/** One way to speak to acquirers: how its gates are configured, what they can do, and how one is made. */
export interface GateAdapter<
  Name extends string,
  Own extends AdapterSchema['settings'],
  Secrets extends SecretForms,
  Ports,
  Capability extends GateCapability,
> extends AdapterSchema<Name, Own, Secrets> {
  readonly capabilities: readonly Capability[];
  /** Absent where the acquirer sends no settlement files, or none that we read. */
  readonly settlement?: SettlementFormat;
  /** Once a gate of the configuration, when the service starts: asks nobody anything. */
  create(settings: GateSettingsOf<AdapterSchema<Name, Own, Secrets>>, ports: Ports): GateWith<Capability>;
}
