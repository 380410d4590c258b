import {
  GossipService,
  gossip,
  ServerFeaturesService,
  serverFeatures,
  shared,
  StreamsService,
} from '@app/event-store/stores/eventstoredb/wire';
import type { GrpcCall } from '../grpc/grpc-call';
import { notReady } from '../grpc/grpc-failure';
import type { Address } from '../node';
import { uuidOf } from './proposed-event';

export interface Member extends Address {
  readonly instanceId: string;
  readonly isLeader: boolean;
  readonly isAlive: boolean;
}

const { VNodeState } = gossip.MemberInfo;
const SERVER_VERSION = '23.10.7';

export const gossipRead =
  (members: () => readonly Member[], isDown: () => boolean) =>
  async (call: GrpcCall<shared.Empty, gossip.ClusterInfo>): Promise<void> => {
    if (isDown()) throw notReady();
    const infos = members().map(({ host, port, instanceId, isLeader, isAlive }) =>
      new gossip.MemberInfo()
        .setInstanceId(uuidOf(instanceId))
        .setState(isLeader ? VNodeState.LEADER : VNodeState.FOLLOWER)
        .setIsAlive(isAlive)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
    );
    call.send(new gossip.ClusterInfo().setMembersList(infos));
    call.end();
  };

export const supportedMethods = async (call: GrpcCall<shared.Empty, serverFeatures.SupportedMethods>): Promise<void> => {
  const methods = [StreamsService, GossipService, ServerFeaturesService].flatMap((service) =>
    Object.values(service).map(({ path }) => {
      const [, serviceName = '', methodName = ''] = path.split('/');
      return new serverFeatures.SupportedMethod().setServiceName(serviceName.toLowerCase()).setMethodName(methodName.toLowerCase());
    }),
  );
  call.send(new serverFeatures.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(SERVER_VERSION));
  call.end();
};
