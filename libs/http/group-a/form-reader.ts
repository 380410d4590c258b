import type { Request, Response } from 'express';
import { contentTypeRefusal, FORM_BYTES_MAX, inKib, parseForm, SHORT_FORM_BYTES_MAX, type Form } from '@app/gateway-protocol';
import { bodyHolder, type ReadBody } from '../server/read-body';
import { AbortedRequest } from '../request/refused-request';
import type { SerialSource } from '../request/serial-source';
import { refused } from './answer';
import { GroupAExchange, NO_ROOM_STATUS, type EntryPointInPath, type GroupAExchangePorts } from './group-a.exchange';

const TOO_LARGE_STATUS = 413;
/** When a request that met a full body budget may come again. */
const NO_ROOM_RETRY_MS = 1_000;

const holdLongForm = bodyHolder(FORM_BYTES_MAX);
const holdShortForm = bodyHolder(SHORT_FORM_BYTES_MAX);

export interface FormReaderPorts extends GroupAExchangePorts {
  readonly serials: SerialSource;
}

/** Reads the form of a request and begins its exchange, so that even a refused one has a serial-number and a deadline. */
export class FormReader {
  constructor(private readonly ports: FormReaderPorts) {}

  /** @throws RefusedRequest; AbortedRequest where the sender has gone away */
  async read(operation: GroupAExchange['operation'], request: Request, response: Response): Promise<void> {
    const startedAt = performance.now();
    const { formBytesMax } = operation;
    const { read, release } = await (formBytesMax === FORM_BYTES_MAX ? holdLongForm : holdShortForm)(request);
    if (read.kind === 'aborted') {
      release();
      throw new AbortedRequest();
    }
    const { failpoints, serials, watch } = this.ports;
    failpoints.reach('P0');
    const arrived = { operation, entryPoint: entryPointIn(request), request, response, releaseBody: release, startedAt };
    const exchange = GroupAExchange.begin(arrived, this.ports);
    try {
      exchange.assignSerial(await serials.next());
    } catch (error) {
      watch.failed(exchange, error);
      exchange.refuse(refused('temporarily-unavailable'));
    }
    exchange.setForm(formIn(read, exchange));
  }
}

const entryPointIn = ({ params: { endpointId, groupId } }: Request): EntryPointInPath =>
  groupId === undefined ? { kind: 'endpoint', id: String(endpointId) } : { kind: 'group', id: String(groupId) };

/** @throws RefusedRequest */
const formIn = (read: Exclude<ReadBody, { readonly kind: 'aborted' }>, exchange: GroupAExchange): Form => {
  const { operation, arrived } = exchange;
  if (read.kind === 'too-large')
    return exchange.refuse(refused('malformed-field', `The request is larger than ${inKib(operation.formBytesMax)}`), TOO_LARGE_STATUS);
  if (read.kind === 'no-room')
    return exchange.refuse({ ...refused('temporarily-unavailable'), retryAfterMs: NO_ROOM_RETRY_MS }, NO_ROOM_STATUS);
  if (read.kind === 'unsupported') return exchange.refuse(refused('malformed-field', 'Content-Encoding must be identity'));
  const wrongType = contentTypeRefusal(arrived.request.headers['content-type']);
  const parsed = wrongType === undefined ? parseForm(read.body) : { refused: wrongType };
  return 'refused' in parsed ? exchange.refuse(refused('malformed-field', parsed.refused.message)) : parsed.ok;
};
