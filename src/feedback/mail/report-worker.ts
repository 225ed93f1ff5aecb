import { parentPort } from 'node:worker_threads'
import { readReport } from './read-report.ts'

// The thread of a `ReportReader`: each message to it is the source of a message, and is answered with what that says.

parentPort?.on('message', (source: Uint8Array) => {
  void readReport(source).then((reading) => parentPort?.postMessage(reading))
})
// The time to read counts without that to load this module.
parentPort?.postMessage('started')
