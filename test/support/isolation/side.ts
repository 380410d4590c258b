import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodePayerLink, type PayerLink } from '@app/orders/http';
import { Merchant, type Answer } from '../merchants/merchant';
import type { Fields, Order } from '../merchants/signed-requests';
import { OauthMerchant } from '../merchants/oauth-merchant';
import type { Service } from '../processes/service';
import type { GroupARoute } from '../merchants/group-a-routes';

export type Stood = Order & { readonly serial: string };

export interface SideSettings {
  readonly login: string;
  readonly controlKey: string;
  readonly privateKeyFile: string;
  readonly endpoint: string;
  readonly group: string;
  readonly endpointOf3ds: string;
}

export interface Side extends SideSettings {
  readonly merchant: Merchant;
  readonly oauth: OauthMerchant;
  readonly orders: Readonly<Record<'sale' | 'preauth' | 'declined', Stood>>;
  readonly cardRefId: string;
  readonly receiptId: string;
  readonly payer: PayerLink;
  readonly keys: Readonly<Record<'capture' | 'return' | 'void', string>>;
}

let lastKey = 0;
export const newKey = (): string => `isolation-${process.pid}-${++lastKey}`;

export const openSide = async (service: Service, settings: SideSettings): Promise<Side> => {
  const { login, controlKey, privateKeyFile, endpoint, endpointOf3ds } = settings;
  const merchant = new Merchant(service, { login, controlKey, at: endpoint });
  const oauth = new OauthMerchant(service, () => service.baseUrl, login, createPrivateKey(readFileSync(privateKeyFile)));
  const ended = async (answer: Promise<Answer>): Promise<Stood> => {
    const order = await merchant.accepted(answer);
    await merchant.finalStatus(order);
    return order;
  };
  const preauth = () => ended(merchant.post('preauth', merchant.signedSale(merchant.saleFields())));
  const sale = (fields: Fields = {}) => ended(merchant.sale(fields));
  const followedUp = async (operation: 'capture' | 'return' | 'void', order: Stood): Promise<string> => {
    const key = newKey();
    const fields = merchant.signedOrder(merchant.orderFields(order));
    await merchant.accepted(merchant.post(operation, fields, { headers: { 'idempotency-key': key } }));
    return key;
  };
  const waiting = await merchant.accepted(merchant.sale({ cvv2: '321', redirect_url: 'https://shop.example/' }, { at: endpointOf3ds }));
  const orders = { sale: await sale(), preauth: await preauth(), declined: await sale({ cvv2: '116' }) };
  const { 'redirect-to': address = '' } = await merchant.statusWhen(waiting, (fields) => fields['redirect-to'] !== undefined, 'the page');
  const place = decodePayerLink(address.slice(address.lastIndexOf('/') + 1));
  if (place === undefined) throw new Error(`no address of a payer: ${address}`);
  const { 'receipt-id': receiptId = '' } = (await merchant.status(orders.sale)).fields;
  return {
    ...settings,
    merchant,
    oauth,
    orders,
    cardRefId: await merchant.registeredCard(),
    receiptId,
    payer: place,
    keys: {
      capture: await followedUp('capture', await preauth()),
      return: await followedUp('return', await sale()),
      void: await followedUp('void', await sale()),
    },
  };
};

export const usualFields = (side: Side, { fields }: GroupARoute, order: Stood | undefined): Fields => {
  const { merchant, cardRefId } = side;
  const usual: Fields = {
    ...('credit_card_number' in fields ? merchant.saleFields() : merchant.rebillFields(cardRefId)),
    ...(order !== undefined && { client_orderid: order.clientOrderId, orderid: order.orderId, 'by-request-sn': order.serial }),
  };
  const amounts = new Set(order === undefined ? [] : ['amount', 'currency', 'comment']);
  return Object.fromEntries(Object.entries(usual).filter(([name]) => name in fields && !amounts.has(name)));
};
