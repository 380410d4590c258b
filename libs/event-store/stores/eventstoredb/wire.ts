/**
 * EventStoreDB's messages as the client package generates them, for the adapter and the fake server: the package publishes no .proto files and may be
 * imported in this folder only. It loads the generated messages and nothing of the client itself.
 */
export { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
export { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
export { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
export * as gossip from '@eventstore/db-client/generated/gossip_pb';
export * as serverFeatures from '@eventstore/db-client/generated/serverfeatures_pb';
export * as shared from '@eventstore/db-client/generated/shared_pb';
export * as status from '@eventstore/db-client/generated/status_pb';
export * as streams from '@eventstore/db-client/generated/streams_pb';
/** Details of a status; the generated messages are built on this copy of the package. */
export { Any } from 'google-protobuf/google/protobuf/any_pb';
