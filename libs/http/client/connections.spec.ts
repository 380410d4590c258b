import type { Connection } from './connection';
import { Connections, type ConnectionUser } from './connections';

const setUp = (connectionsMax: number, waitingMax: number) => {
  const made: Connection[] = [];
  const destroyed: Connection[] = [];
  const make = (): Connection => {
    const connection = { isWornOut: false, destroy: () => Promise.resolve(void destroyed.push(connection)) } as unknown as Connection;
    made.push(connection);
    return connection;
  };
  const used: string[] = [];
  const user = (name: string, wants = true): ConnectionUser => ({
    use: (connection) => {
      if (wants) used.push(`${name} uses ${made.indexOf(connection)}`);
      return wants;
    },
  });
  return { connections: new Connections(make, { connectionsMax, waitingMax }), made, destroyed, used, user };
};
const connection = (made: readonly Connection[], index: number): Connection => {
  const found = made[index];
  if (found === undefined) throw new Error(`connection ${index} was not made`);
  return found;
};

describe('connections to one origin', () => {
  it('are opened on demand up to their limit; further calls wait up to a second limit', () => {
    const { connections, user, used } = setUp(2, 1);
    expect(['a', 'b', 'c', 'd'].map((name) => connections.request(user(name)))).toStrictEqual([true, true, true, false]);
    expect(used).toStrictEqual(['a uses 0', 'b uses 1']);
  });

  it('go to the call that waited longest, and skip calls that withdrew or ended', () => {
    const { connections, user, used, made } = setUp(1, 5);
    const withdrawn = user('withdrawn');
    for (const waiting of [user('a'), withdrawn, user('ended', false), user('b'), user('c')]) connections.request(waiting);
    connections.withdraw(withdrawn);
    connections.release(connection(made, 0));
    connections.release(connection(made, 0));
    connections.release(connection(made, 0));
    connections.request(user('d'));
    expect(used).toStrictEqual(['a uses 0', 'b uses 0', 'c uses 0', 'd uses 0']);
  });

  it('are reused before a new one is opened, most recently released first', () => {
    const { connections, user, used, made } = setUp(3, 0);
    for (const name of ['a', 'b']) connections.request(user(name));
    for (const index of [1, 0]) connections.release(connection(made, index));
    for (const name of ['c', 'd', 'e']) connections.request(user(name));
    expect(used.slice(2)).toStrictEqual(['c uses 0', 'd uses 1', 'e uses 2']);
  });

  it('stay free if a call no longer needs one', () => {
    const { connections, user, used } = setUp(1, 0);
    expect(connections.request(user('ended', false))).toBe(true);
    connections.request(user('next'));
    expect(used).toStrictEqual(['next uses 0']);
  });

  it('are replaced when worn out, whether idle or wanted by the next call', async () => {
    const { connections, user, used, made, destroyed } = setUp(1, 1);
    connections.request(user('a'));
    Object.assign(connection(made, 0), { isWornOut: true });
    connections.request(user('waits'));
    connections.release(connection(made, 0));
    Object.assign(connection(made, 1), { isWornOut: true });
    connections.release(connection(made, 1));
    connections.request(user('b'));
    expect(used).toStrictEqual(['a uses 0', 'waits uses 1', 'b uses 2']);
    expect(destroyed).toStrictEqual(made.slice(0, 2));
    expect(connections.inUse).toBe(1);
  });

  it('are all destroyed on close, whether idle or in use', async () => {
    const { connections, user, made, destroyed } = setUp(2, 0);
    for (const name of ['a', 'b']) connections.request(user(name));
    connections.release(connection(made, 0));
    await connections.destroy();
    expect(destroyed).toStrictEqual(made);
  });
});
