export { testDigests } from './test-digests';
