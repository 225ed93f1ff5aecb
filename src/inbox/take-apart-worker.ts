import { parentPort, workerData } from 'node:worker_threads'
import { takeApart } from './take-apart.ts'

// The thread that `content-reader.ts` starts for one message.
parentPort?.postMessage(await takeApart(workerData as Uint8Array))
