export { BODY_NAMES, type BodyName, classOf, sampleOf } from './device-samples';
