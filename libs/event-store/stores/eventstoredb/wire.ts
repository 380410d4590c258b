/**
 * EventStoreDB's generated messages, for the adapter and the fake server. The package publishes no .proto files, and only this folder may
 * import it.
 */
export { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
export { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
export { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
export * as gossip from '@eventstore/db-client/generated/gossip_pb';
export * as serverFeatures from '@eventstore/db-client/generated/serverfeatures_pb';
export * as shared from '@eventstore/db-client/generated/shared_pb';
export * as status from '@eventstore/db-client/generated/status_pb';
export * as streams from '@eventstore/db-client/generated/streams_pb';
export { Any } from 'google-protobuf/google/protobuf/any_pb';
