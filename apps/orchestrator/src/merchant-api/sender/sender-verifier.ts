import type { Request } from 'express';
import type { Accounts } from '@app/configuration';
import { fieldsAsDecoded, readAmount, type ControlKey, type Form, type SignedText } from '@app/gateway-protocol';
import type { NamedRequest } from '@app/order-processing';
import type { KeysOfUnknownMerchants } from '../../request/unknown-merchants/keys-of-unknown-merchants';
import type { Sender } from '../admitted-request';
import { refused, type Refused } from '../answers/answer';
import type { EntryPointNamed } from '../group-a.exchange';
import type { OAuthVerifier } from '../oauth/oauth-verifier';
import { ACCESS_DENIED, type AccessDenied } from '../refused-request';
import type { ServedOperation } from '../served-operation';
import type { ControlVerifier, Signed } from './control-verifier';

export interface SenderVerifierPorts {
  readonly accounts: Accounts;
  readonly nobody: KeysOfUnknownMerchants;
  readonly controls: Pick<ControlVerifier, 'isSigned'>;
  readonly oauth: Pick<OAuthVerifier, 'isAuthentic'>;
}

/** Whose request it is, as the request says. */
export interface SenderAsked {
  readonly operation: Pick<ServedOperation, 'proof' | 'amount'>;
  readonly entryPoint: EntryPointNamed;
  readonly form: Form;
  readonly named: NamedRequest;
}

export interface SenderRefused {
  readonly refusal: Refused | AccessDenied;
  /** Where the merchant is told that an amount of his cannot be read. */
  readonly merchant?: string;
}

/** Who sent a request. */
export class SenderVerifier {
  constructor(private readonly ports: SenderVerifierPorts) {}

  /** Entry point, login, amount and signature, in this order (protocol decisions, section 4). */
  async verify(request: Request, asked: SenderAsked): Promise<Sender | SenderRefused> {
    const { operation, entryPoint: named, form } = asked;
    const { accounts, nobody, oauth } = this.ports;
    const entryPoint = accounts.entryPoint(named.kind, named.id);
    const merchant = entryPoint === undefined ? undefined : accounts.merchant(entryPoint.merchant);
    const { proof, amount: amountIs } = operation;
    if (proof.kind === 'oauth') {
      const isAuthentic = await oauth.isAuthentic(request, form, { merchant, id: named.id }, asked.named);
      const isKnown = entryPoint !== undefined && merchant !== undefined;
      return isAuthentic && isKnown ? { entryPoint, merchant, amountMinor: 0n } : { refusal: ACCESS_DENIED };
    }
    const isKnown = merchant !== undefined && (!proof.hasLogin || form.text('login') === merchant.login);
    const isAmountSent = amountIs === 'required' || (amountIs === 'optional' && form.text('amount') !== '');
    const amount = isAmountSent ? readAmount(form) : { ok: 0n };
    if (isKnown && 'refused' in amount) return { refusal: refused('malformed-field', amount.refused.message), merchant: merchant.login };
    const amountMinor = 'ok' in amount ? amount.ok : 0n;
    const holder = isKnown ? merchant : nobody.control(merchant, named.id);
    const signed = { form, entryPointId: named.id, amountMinor, rebillControl: holder.rebillControl, deadline: asked.named.deadline };
    // The stranger's checksum is computed too: how long an answer takes tells nothing (safety, T10).
    const isSigned = await this.isSignedInEitherForm(proof.text, form, signed, holder.controlKey);
    if (!isKnown || !isSigned || entryPoint === undefined) return { refusal: refused('authentication-failed') };
    return { entryPoint, merchant, amountMinor };
  }

  /** Over the trimmed values; where that does not fit, over the values as they were decoded. For a stranger both are tried, as for a wrong checksum. */
  private async isSignedInEitherForm(text: SignedText, form: Form, signed: Signed, key: ControlKey): Promise<boolean> {
    const { controls } = this.ports;
    if (await controls.isSigned(text, signed, key)) return true;
    const decoded = fieldsAsDecoded(form);
    return decoded !== undefined && controls.isSigned(text, { ...signed, form: decoded }, key);
  }
}
