import { encodeForm } from '@app/gateway-protocol';
import type { HttpAnswer, PublicSide } from '../http/http-client';

export interface PageForm {
  readonly action: string;
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly asked: readonly string[];
  readonly isSelfSubmitting: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };
const unescape = (text: string): string => text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescape(found);
};

export const formOf = (html: string): PageForm | undefined => {
  const forms = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([text]) => text);
  if (forms.length > 1) throw new Error(`a page with ${forms.length} forms`);
  const [form] = forms;
  if (form === undefined) return undefined;
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
  const hidden = inputs.filter((tag) => attribute(tag, 'type') === 'hidden');
  const asked = inputs.filter((tag) => attribute(tag, 'type') !== 'hidden');
  return {
    action: attribute(form, 'action') ?? '',
    method: attribute(form, 'method') ?? 'get',
    fields: Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''])),
    asked: asked.map((tag) => attribute(tag, 'name') ?? ''),
    isSelfSubmitting: /<script>[^<]*submit/.test(html),
  };
};

/** The payer's browser on the pages of the service (protocol decisions, section 7). */
export class Payer {
  constructor(private readonly service: PublicSide) {}

  open(url: string): Promise<HttpAnswer> {
    return this.service.send(url);
  }

  submit({ action, fields }: PageForm, filled: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.service.send(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encodeForm(Object.entries({ ...fields, ...filled })),
    });
  }

  async toPasswordPage(selfSubmitting: string): Promise<PageForm> {
    const way = formOf(selfSubmitting);
    if (way === undefined || !way.isSelfSubmitting) throw new Error(`no self-submitting page: ${selfSubmitting}`);
    const { body } = await this.submit(way);
    const page = formOf(body);
    if (page?.asked.length !== 1) throw new Error(`no page with one field to fill in: ${body}`);
    return page;
  }

  async authenticate(redirectTo: string, password: string): Promise<HttpAnswer> {
    const page = await this.toPasswordPage((await this.open(redirectTo)).body);
    return this.submit(page, { password });
  }
}
