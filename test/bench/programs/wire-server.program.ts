import { WireServer } from '../../fakes/eventstoredb';
import { answerQuestions } from '../harness/program';

/** Runs the wire-level test server in a process of its own, for as long as its parent wants it. */
answerQuestions(async (): Promise<string> => (await WireServer.start()).connectionString);
