import { CallsUnderWay } from './calls-under-way';
import { GateCaller, type GateCallerPorts } from './gate-caller';
import { HoldClaim, type HoldClaimPorts } from './hold-claim';

export interface GateCallingPorts extends Omit<GateCallerPorts, 'underWay'>, HoldClaimPorts {
  /** True where other processes call gates for orders of the same log. */
  readonly isShared: boolean;
}

/** How one process claims what it sends to gates, and tracks what may still happen to it. */
export interface GateCalling {
  readonly underWay: CallsUnderWay;
  readonly claims: HoldClaim;
  readonly caller: GateCaller;
}

export const gateCalling = (ports: GateCallingPorts): GateCalling => {
  const underWay = new CallsUnderWay(ports.monotonic, ports.clock, ports.isShared);
  return { underWay, claims: new HoldClaim(ports), caller: new GateCaller({ ...ports, underWay }) };
};
