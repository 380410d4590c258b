import { held, reply, silence } from './testing';
import { closeOpened, limit, openBoth, post } from './testing/world/client-world';

afterEach(closeOpened);

describe('close() of a gate client', () => {
  it('rejects new calls without opening a connection', async () => {
    const { peer, client } = await openBoth();
    await client.close(1_000);
    expect(await client.send(post(), limit())).toStrictEqual({ kind: 'not-sent', cause: 'closed' });
    expect(peer.connections).toBe(0);
  });

  it('waits for active and queued calls, then closes the sockets', async () => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
    const answer = held(reply('ok'));
    peer.otherwise(answer);
    const sent = [client.send(post(), limit()), client.send(post(), limit())];
    await peer.received();
    const closed = client.close(1_000);
    expect(await client.send(post(), limit())).toStrictEqual({ kind: 'not-sent', cause: 'closed' });
    answer.release();
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toStrictEqual(['answered', 'answered']);
    await closed;
    await peer.until(() => peer.openConnections === 0);
    expect(clock.pending).toBe(0);
  });

  it('after its deadline reports sent calls as lost and queued calls as not sent', async () => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
    peer.otherwise(silence());
    const [sent, waits] = [client.send(post(), limit()), client.send(post(), limit())];
    await peer.received();
    let isClosed = false;
    const closed = client.close(1_000).then(() => (isClosed = true));
    await clock.advance(999);
    expect([isClosed, peer.openConnections]).toStrictEqual([false, 1]);
    await clock.advance(1);
    expect(await sent).toStrictEqual({ kind: 'lost', cause: 'connection-lost' });
    expect(await waits).toStrictEqual({ kind: 'not-sent', cause: 'closed' });
    await closed;
    await peer.until(() => peer.openConnections === 0);
    expect([peer.begun, clock.pending]).toStrictEqual([1, 0]);
  });

  it('closes idle sockets immediately and may be called twice', async () => {
    const { peer, client } = await openBoth();
    peer.otherwise(reply('ok'));
    await client.send(post(), limit());
    await Promise.all([client.close(1_000), client.close(1_000)]);
    await peer.until(() => peer.openConnections === 0);
  });
});
