import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Clock, NonEmpty } from '@app/kernel';
import { controlKeysAt, type Accounts } from '@app/configuration';
import {
  fieldsAsDecoded,
  readAmount,
  type ControlKey,
  type Form,
  type SignedText,
  GROUP_A_OPERATIONS,
  type GroupAMessage,
  type GroupAOperationKey,
} from '@app/gateway-protocol';
import type { NamedRequest } from '@app/orders';
import { exchangeOf } from '../request/exchange';
import type { DecoyKeys } from '../request/decoy-keys';
import type { Sender, AdmittedRequest } from './translation';
import { ACCESS_DENIED, refused, type AccessDenied, type Refused, type Answered } from './answer';
import { type EntryPointInPath, type GroupAExchange, type GroupARow, GROUP_A } from './group-a.exchange';
import type { OAuthVerifier } from './oauth-verifier';
import type { ControlVerifier, Signed } from './control-verifier';
import { servedBy } from '../request/served-by.decorator';

interface SenderVerifierPorts {
  readonly accounts: Accounts;
  readonly decoyKeys: DecoyKeys;
  readonly controls: Pick<ControlVerifier, 'isSigned'>;
  readonly oauth: Pick<OAuthVerifier, 'isAuthentic'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The claimed sender of a request, not yet authenticated. */
export interface SenderClaim {
  readonly operation: Pick<GroupARow, 'proof' | 'amount'>;
  readonly entryPoint: EntryPointInPath;
  readonly form: Form;
  readonly exchange: NamedRequest;
}

interface SenderRefused {
  readonly refusal: Refused | AccessDenied;
  /** The claimed merchant, if the amount was invalid and so the signature was not checked. */
  readonly merchant?: string;
}

export class SenderVerifier {
  constructor(private readonly ports: SenderVerifierPorts) {}

  /** Checks entry point, login, amount and signature in this order (protocol decisions, D4.3). */
  async verify(request: Request, { operation, entryPoint: inPath, form, exchange }: SenderClaim): Promise<Sender | SenderRefused> {
    const { accounts, decoyKeys, oauth, clock } = this.ports;
    const entryPoint = accounts.entryPoint(inPath.kind, inPath.id);
    const merchant = entryPoint === undefined ? undefined : accounts.merchant(entryPoint.merchant);
    const { proof, amount: amountUse } = operation;
    if (proof.kind === 'oauth') {
      const isAuthentic = await oauth.isAuthentic(request, form, { merchant, id: inPath.id }, exchange);
      const isKnown = entryPoint !== undefined && merchant !== undefined;
      return isAuthentic && isKnown ? { entryPoint, merchant, amountMinor: 0n } : { refusal: ACCESS_DENIED };
    }
    const isKnown = merchant !== undefined && (!proof.hasLogin || form.text('login') === merchant.login);
    const isAmountSent = amountUse === 'required' || (amountUse === 'optional' && form.text('amount') !== '');
    const amount = isAmountSent ? readAmount(form, amountUse) : { ok: 0n };
    if (isKnown && 'refused' in amount) return { refusal: refused('malformed-field', amount.refused.message), merchant: merchant.login };
    const amountMinor = 'ok' in amount ? amount.ok : 0n;
    // Also verified for an unknown merchant, under a decoy key, so that timing reveals nothing (safety, T10).
    const holder = isKnown ? merchant : decoyKeys.control(merchant, inPath.id);
    const { rebillControl } = holder;
    const signed = { form, entryPointId: inPath.id, amountMinor, rebillControl, deadline: exchange.deadline };
    const signedWith = await this.keyThatSigned(proof.text, signed, controlKeysAt(holder, clock.now()));
    if (!isKnown || signedWith === undefined || entryPoint === undefined) return { refusal: refused('authentication-failed') };
    return { entryPoint, merchant, amountMinor, signedWith };
  }

  /** Tries the trimmed values, then the decoded ones, each under every key, also under decoy keys (protocol decisions, D5.4). */
  private async keyThatSigned(
    text: SignedText,
    signed: Signed & { readonly form: Form },
    keys: NonEmpty<ControlKey>,
  ): Promise<ControlKey | undefined> {
    for (const key of keys) if (await this.ports.controls.isSigned(text, signed, key)) return key;
    const form = fieldsAsDecoded(signed.form);
    if (form !== undefined) for (const key of keys) if (await this.ports.controls.isSigned(text, { ...signed, form }, key)) return key;
    return undefined;
  }
}

/**
 * Runs before field validation, so that an unauthenticated caller learns nothing about fields (protocol decisions,
 * D4.3).
 */
@Injectable()
export class SenderGuard implements CanActivate {
  constructor(@Inject(SenderVerifier) private readonly senders: Pick<SenderVerifier, 'verify'>) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context) as GroupAExchange;
    const { arrived, entryPoint, form } = exchange;
    const verified = await this.senders.verify(arrived.request, { operation: arrived.operation, entryPoint, form, exchange });
    if ('refusal' in verified) {
      if (verified.merchant !== undefined) exchange.setClaimedMerchant(verified.merchant);
      return exchange.refuse(verified.refusal);
    }
    exchange.setSender(verified);
    return true;
  }
}

type ServesOne<Key extends GroupAOperationKey> = (request: AdmittedRequest<GroupAMessage<Key>>) => Promise<Answered>;

/** One method per operation: `implements Serves<'capture' | 'void'>`. */
export type Serves<Keys extends GroupAOperationKey> = { readonly [Key in Keys]: ServesOne<Key> };

/** Compiles only on the method named after the operation, with its message. */
type DecoratesOne<Key extends GroupAOperationKey> = <Method extends ServesOne<Key>>(
  target: object,
  name: Key,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** Serves an operation at all its paths, by endpoint and by group. */
export const GroupAOperation = <Key extends GroupAOperationKey>(key: Key): DecoratesOne<Key> => {
  const operation: GroupARow = GROUP_A_OPERATIONS[key];
  const paths = operation.paths.flatMap((path) => [`${path}/:endpointId`, `${path}/group/:groupId`]);
  return servedBy(GROUP_A, { operation, paths, bodyBytesMax: operation.formBytesMax, proof: SenderGuard });
};
