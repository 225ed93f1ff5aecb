import { answerWith } from '../../kit/reading-thread.ts'
import { readReport } from './read-report.ts'

answerWith(readReport)
