import type { InboundRequest } from '@app/gateway-adapters/contract';
import { callbackBody, callbackQuery, webhookHeaders, type CallbackFacts } from '@app/gateway-protocol';
import { Secret, type Clock, type OrderId } from '@app/kernel';
import type { GateNotifications } from '@app/testing';
import { CONTROL_KEY } from './served-upstream';
import type { UpstreamGateway } from './upstream-gateway';

export const CALLBACK_SECRET = new Secret(`whsec_${Buffer.alloc(32, 5).toString('base64')}`);
const OTHER_SECRET = new Secret(`whsec_${Buffer.alloc(32, 6).toString('base64')}`);
const OTHER_CONTROL_KEY = 'fedcba9876543210fedcba9876543210';

const bothForms = (
  facts: CallbackFacts,
  key: Secret<string>,
  secret: Secret<string> | undefined,
  clock: Clock,
): readonly InboundRequest[] => {
  const headers = (text: string) =>
    new Map(Object.entries({ ...webhookHeaders('fact-1', clock.now(), text, ...(secret ? [secret] : [])) }));
  const body = callbackBody(facts, key);
  const rawQuery = callbackQuery(facts, key);
  return [
    { method: 'POST', path: [], query: new Map(), rawQuery: '', headers: headers(body), contentType: 'application/json', body },
    {
      method: 'GET',
      path: [],
      query: new Map(new URLSearchParams(rawQuery)),
      rawQuery,
      headers: headers(rawQuery),
      contentType: '',
      body: '',
    },
  ];
};

export const notificationsOf = (
  gateway: UpstreamGateway,
  addressOf: (orderId: OrderId) => string | undefined,
  clock: Clock,
  secret: Secret<string> | undefined,
): GateNotifications => ({
  addressOf,
  about: (request) => bothForms(gateway.callbackFacts(request), new Secret(CONTROL_KEY), secret, clock),
  forgedAbout: (request) => {
    const facts = { ...gateway.callbackFacts(request), status: 'approved' };
    // With a secret, a correct control is not sufficient proof.
    const controlKeys = secret === undefined ? [OTHER_CONTROL_KEY] : [OTHER_CONTROL_KEY, CONTROL_KEY];
    return controlKeys.flatMap((key) => [OTHER_SECRET, undefined].flatMap((signing) => bothForms(facts, new Secret(key), signing, clock)));
  },
});
