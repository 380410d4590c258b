import { asJson, type Output } from '../../terminal/output';
import { shortened } from '../../terminal/printable';
import type { OrderStory } from '../../order/order-story';
import { renderStory, renderUpstreamOrder, storyAsData, upstreamOrderAsData } from '../../order/render-story';
import type { UpstreamOrder } from '../../order/upstream-orders';
import { masked } from '../masked';

export type Fields = Iterable<readonly [name: string, value: string]>;

const VALUE_CHARACTERS_MAX = 100;

/** Shows the tour step by step: for people, or as one JSON object a line. */
export class TourReport {
  readonly #output: Output;
  #steps = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  say(text: string): void {
    if (this.#output.isJson) this.#json({ kind: 'note', text });
    else this.#output.line(text);
  }

  step(title: string, explanation: string): void {
    this.#steps += 1;
    if (this.#output.isJson) return this.#json({ kind: 'step', number: this.#steps, title, told: explanation });
    this.#output.line();
    this.#output.line(this.#output.paint('strong', `${this.#steps}. ${title}`));
    this.#output.line(`   ${explanation}`);
  }

  request(method: string, url: string, fields: Fields): void {
    this.#exchange('request', `→ ${method} ${url}`, { method, url }, fields);
  }

  answer(head: string, fields: Fields): void {
    this.#exchange('answer', `← ${head}`, { head }, fields);
  }

  claim(text: string, holds: boolean): void {
    if (this.#output.isJson) this.#json({ kind: 'claim', text, holds });
    else this.#output.line(`   ${holds ? this.#output.paint('good', '✓') : this.#output.paint('bad', '✗')} ${text}`);
  }

  /** @param upstream what its attempts became at an upstream gateway, where there is one */
  story(story: OrderStory, upstream?: readonly UpstreamOrder[]): void {
    if (this.#output.isJson)
      return this.#json({
        kind: 'order',
        ...storyAsData(story),
        ...(upstream !== undefined && { upstream: upstream.map(upstreamOrderAsData) }),
      });
    const { paint } = this.#output;
    for (const lines of [renderStory(story, paint), ...(upstream ?? []).map((one) => renderUpstreamOrder(one, story, paint))]) {
      this.#output.line();
      for (const line of lines) this.#output.line(line);
    }
  }

  /** Shows a line to be pasted into a shell, with its purpose. */
  command(purpose: string, line: string): void {
    if (this.#output.isJson) return this.#json({ kind: 'command', purpose, line });
    this.#output.line();
    this.#output.line(this.#output.paint('faint', `# ${purpose}`));
    this.#output.line(line);
  }

  #exchange(kind: string, head: string, facts: object, fields: Fields): void {
    const shown = [...fields].map(([name, value]) => [name, masked(name, value)] as const);
    if (this.#output.isJson) return this.#json({ kind, ...facts, fields: Object.fromEntries(shown) });
    this.#output.line(`   ${this.#output.paint('strong', head)}`);
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    for (const [name, value] of shown) {
      this.#output.line(`     ${this.#output.paint('faint', name.padEnd(width))}  ${shortened(value, VALUE_CHARACTERS_MAX)}`);
    }
  }

  #json(value: object): void {
    this.#output.line(asJson(value));
  }
}
