const PAGE_TIMEOUT_MS = 15_000;

/** The only form of a page, by its address and fields. */
export interface PageForm {
  readonly action: string;
  readonly fields: ReadonlyMap<string, string>;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#96;': '`', '&amp;': '&' };
const unescaped = (text: string): string => text.replace(/&(?:lt|gt|quot|#39|#96|amp);/g, (entity) => ENTITIES[entity] ?? entity);

const FORM = /<form\s[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/;
const INPUT = /<input\s([^>]*)>/g;
const attribute = (text: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];

/** Reads the form of a page of this service; undefined where it has none. */
export const formOf = (html: string): PageForm | undefined => {
  const form = FORM.exec(html);
  if (form === null) return undefined;
  const [, action = '', body = ''] = form;
  const fields = [...body.matchAll(INPUT)].flatMap(([, text = '']): [string, string][] => {
    const name = attribute(text, 'name');
    return name === undefined ? [] : [[unescaped(name), unescaped(attribute(text, 'value') ?? '')]];
  });
  return { action: unescaped(action), fields: new Map(fields) };
};

export const openPage = async (url: string): Promise<string> => (await fetch(url, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();

/** Sends the form as a browser would. */
export const submitForm = async ({ action, fields }: PageForm): Promise<string> => {
  const body = new URLSearchParams([...fields]);
  return (await fetch(action, { method: 'POST', body, signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();
};
