import type { GateAlias } from '@app/kernel';
import type { CallLimit, Gate, Gates } from './contract';

export interface GateListener {
  began(gate: string, call: string, withinMs?: number): (outcome: string, cause?: string) => void;
}

interface Told {
  readonly kind: string;
  readonly cause?: string;
}

type Asking<Asked extends unknown[], Answer> = (...asked: Asked) => Promise<Answer>;

/** The limit is always the last argument of a call. */
const withinMsOf = (asked: readonly unknown[]): number | undefined => (asked.at(-1) as Partial<CallLimit> | undefined)?.withinMs;

/** Measures the duration and the outcome of every call to a gate, including calls whose caller has stopped waiting. */
export class MeasuredGates implements Gates {
  readonly #gates: Gates;
  readonly #listener: GateListener;
  readonly #measured = new WeakMap<Gate, Gate>();

  constructor(gates: Gates, listener: GateListener) {
    this.#gates = gates;
    this.#listener = listener;
  }

  gate(alias: GateAlias): Gate {
    return this.#of(this.#gates.gate(alias));
  }

  find(alias: GateAlias): Gate | undefined {
    const gate = this.#gates.find(alias);
    return gate === undefined ? undefined : this.#of(gate);
  }

  #of(gate: Gate): Gate {
    let measured = this.#measured.get(gate);
    if (measured === undefined) this.#measured.set(gate, (measured = this.#measure(gate)));
    return measured;
  }

  #measure(gate: Gate): Gate {
    const { profile, bins, listening, charging, authorising, verifying, transferring, quoting } = gate;
    const { capturing, returning, voiding, inquiring, repeating, payerAuthentication, rebilling, registering, choosing } = gate;
    const told = <Asked extends unknown[], Answer extends { readonly kind: string }>(call: string, ask: Asking<Asked, Answer>) =>
      this.#told(profile.alias, call, ask);
    return {
      profile,
      ...(bins !== undefined && { bins }),
      ...(listening !== undefined && { listening }),
      ...(charging !== undefined && { charging: { charge: told('charge', charging.charge.bind(charging)) } }),
      ...(authorising !== undefined && { authorising: { authorise: told('authorise', authorising.authorise.bind(authorising)) } }),
      ...(verifying !== undefined && { verifying: { verify: told('verify', verifying.verify.bind(verifying)) } }),
      ...(transferring !== undefined && { transferring: { transfer: told('transfer', transferring.transfer.bind(transferring)) } }),
      ...(quoting !== undefined && { quoting: { quote: told('quote', quoting.quote.bind(quoting)) } }),
      ...(capturing !== undefined && { capturing: { capture: told('capture', capturing.capture.bind(capturing)) } }),
      ...(returning !== undefined && { returning: { refund: told('return', returning.refund.bind(returning)) } }),
      ...(voiding !== undefined && {
        voiding: { voidableUntil: (approvedAt) => voiding.voidableUntil(approvedAt), void: told('void', voiding.void.bind(voiding)) },
      }),
      ...(inquiring !== undefined && { inquiring: { inquire: told('inquire', inquiring.inquire.bind(inquiring)) } }),
      ...(repeating !== undefined && { repeating: { repeat: told('repeat', repeating.repeat.bind(repeating)) } }),
      ...(rebilling !== undefined && {
        rebilling: { means: rebilling.means, rebill: told('rebill', rebilling.rebill.bind(rebilling)) },
      }),
      ...(registering !== undefined && { registering: { register: told('register', registering.register.bind(registering)) } }),
      ...(choosing !== undefined && { choosing: { choose: told('choose', choosing.choose.bind(choosing)) } }),
      ...(payerAuthentication !== undefined && {
        payerAuthentication:
          payerAuthentication === 'hosted'
            ? payerAuthentication
            : { complete: told('complete', payerAuthentication.complete.bind(payerAuthentication)) },
      }),
    };
  }

  #told<Asked extends unknown[], Answer extends Told>(gate: string, call: string, ask: Asking<Asked, Answer>): Asking<Asked, Answer> {
    return async (...asked) => {
      const ended = this.#listener.began(gate, call, withinMsOf(asked));
      try {
        const answer = await ask(...asked);
        ended(answer.kind, answer.cause);
        return answer;
      } catch (error) {
        ended('failed');
        throw error;
      }
    };
  }
}
