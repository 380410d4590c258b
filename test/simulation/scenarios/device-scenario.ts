import type { NonEmpty } from '@app/kernel';
import { deviceVerificationCodec, deviceVerificationStream } from '@app/device-verification';
import type { AnyEvent, Envelope, EventCodec, StreamName } from '@app/event-store';
import type { Plan } from '@app/orders/domain';
import { sampleCard, sampleDeviceOrder, settle } from '@app/testing';
import { transferCodec, transferStream } from '@app/transfer';
import { CVV, LANE, OrderScenario } from './order-scenario';

const { merchant, clientOrderId } = sampleDeviceOrder();

export const CHARGED = ['AttemptStarted', 'AttemptApproved', 'CardsMapped', 'OrderApproved'];

export class DeviceScenario extends OrderScenario {
  override readonly stream: StreamName = transferStream(merchant, clientOrderId);
  readonly verificationStream: StreamName = deviceVerificationStream(merchant, clientOrderId);

  async acceptTransfer(order = sampleDeviceOrder()): Promise<StreamName> {
    await this.write(transferCodec, this.stream, [{ type: 'OrderAccepted', data: { ...order, acceptedAt: this.clock.now() } }]);
    return this.stream;
  }

  async acceptVerification(plan: Plan): Promise<StreamName> {
    const { destination: _destination, ...data } = sampleDeviceOrder({ acceptedAt: this.clock.now(), plan });
    await this.write(deviceVerificationCodec, this.verificationStream, [{ type: 'OrderAccepted', data: { ...data, card: sampleCard() } }]);
    return this.verificationStream;
  }

  /** Advances time, because a process that loses an append to a stream waits before its retry. */
  async whileTimePasses<Result>(working: Promise<Result>): Promise<Result> {
    await this.clock.advance(1_000);
    return working;
  }

  async handIn({ cvvQueue } = this.process): Promise<void> {
    cvvQueue.submitSoon({ lane: LANE, stream: this.stream, cvv: CVV });
    await settle(10);
  }

  get transferred(): readonly number[] {
    return [this.gate.transfers.length, this.otherGate.transfers.length];
  }

  async storyOf(stream: StreamName): Promise<readonly string[]> {
    const types: string[] = [];
    for await (const { type } of this.store.read(stream)) types.push(type);
    return types;
  }

  private async write<Event extends AnyEvent>(codec: EventCodec<Event>, stream: StreamName, events: NonEmpty<Event>): Promise<void> {
    const serial = '00000000-0000-0000-0000-000000000001';
    const traced = { correlation: serial, causation: serial, actor: merchant, merchant };
    const envelope: Envelope = { ...traced, commandId: `accept ${stream}`, recordedAt: this.clock.now() };
    await this.store.append(stream, 'no_stream', codec.encode(events, stream, 'no_stream', envelope));
  }
}
