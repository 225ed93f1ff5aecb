// Sends requests over keep-alive connections, each after the response to the last, and prints the results
// as JSON. Started by load.ts as a process, so that it shares no thread with the measured server.
import { connect } from 'node:net'
import type { LoadOptions, LoadResult } from './load.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as LoadOptions
const { port, paths, authorization, connections, seconds } = options

const requests = paths.map((path) =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nAccept: application/json\r\n\r\n`,
  ),
)
const latenciesMs: number[] = []
let failures = 0
let next = 0
let isOver = false

/** Keeps one connection busy until the deadline. */
function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const send = () => {
      sentAt = performance.now()
      next = (next + 1) % requests.length
      socket.write(requests[next] ?? '')
    }
    socket.once('connect', send).once('error', reject).once('close', resolve)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const size = answerSize(received)
      if (size === undefined || received.length < size) return
      latenciesMs.push(performance.now() - sentAt)
      // "HTTP/1.1 200": the ninth byte is the first of the status.
      if (received[9] !== 0x32) failures += 1
      received = received.subarray(size)
      if (isOver) socket.destroy()
      else send()
    })
  })
}

/** The length of the first response in a buffer; undefined until its headers are complete. */
function answerSize(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1]
  return end + 4 + Number(length)
}

const startedAt = performance.now()
setTimeout(() => {
  isOver = true
}, seconds * 1_000)
await Promise.all(Array.from({ length: connections }, run))
const elapsed = (performance.now() - startedAt) / 1_000
latenciesMs.sort((a, b) => a - b)
const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN
const { user, system } = process.cpuUsage()
const result: LoadResult = {
  requests: latenciesMs.length,
  failures,
  perSecond: latenciesMs.length / elapsed,
  medianMs: at(0.5),
  p99Ms: at(0.99),
  generatorBusy: (user + system) / 1e6 / elapsed,
}
process.stdout.write(JSON.stringify(result))
