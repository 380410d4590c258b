import { WireServer } from '../../fakes/eventstoredb';
import { answerQuestions } from '../harness/program';

answerQuestions(async (): Promise<string> => (await WireServer.start()).connectionString);
