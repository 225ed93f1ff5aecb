import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import {
  apiSettings,
  type MailyardProcess,
  sourceMain,
  startMailyard,
} from '../mailyard-process.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const megabyte = 1_048_576
const warmUp = 30
const size = 100

/** The resident memory of a process, in megabytes. */
function residentMegabytes({ pid }: MailyardProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
}

/** Counts what arrives, and answers as many bytes. */
function answerAsMuch(upstream: Upstream): { received: () => number } {
  let received = 0
  upstream.answer = (request, response) => {
    received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (!response.write(chunk)) request.pause()
    })
    response.on('drain', () => request.resume())
    request.on('end', () => response.end())
  }
  return { received: () => received }
}

test('an upload and an answer of 100 MB pass a gateway whose memory stays flat', async (context) => {
  const [upstream, service] = [
    await startUpstream(),
    await startMailyard({ env: apiSettings, main: sourceMain }),
  ]
  context.after(async () => {
    await service.stop()
    await upstream.close()
  })
  const { received } = answerAsMuch(upstream)
  const values = { name: 'brand', url: upstream.url, clientId: 'id', clientSecret: 'secret' }
  const headers = { authorization: asAdmin, 'content-type': 'application/json' }
  const body = JSON.stringify(values)
  const answer = await fetch(`${service.url}/api/mautics/new`, { method: 'POST', headers, body })
  assert.equal(answer.status, 201, await answer.text())

  const chunk = Buffer.alloc(megabyte)
  let most = 0
  /** Sends megabytes and reads them again; looks at the memory all the while. */
  const transfer = async (megabytes: number): Promise<number> => {
    const { port } = service
    const path = '/mautic/brand/api/files'
    const request = sendRequest({ port, host: '127.0.0.1', path, method: 'POST', agent: false })
    const response = once(request, 'response') as Promise<[IncomingMessage]>
    const reading = response.then(async ([message]) => {
      let bytes = 0
      for await (const part of message) {
        bytes += (part as Buffer).length
        most = Math.max(most, residentMegabytes(service))
      }
      return bytes
    })
    for (let sent = 0; sent < megabytes; sent += 1)
      if (!request.write(chunk)) await once(request, 'drain')
    request.end()
    return reading
  }
  await transfer(warmUp)
  const before = residentMegabytes(service)
  most = before
  assert.equal(await transfer(size), size * megabyte)
  assert.equal(received(), size * megabyte)
  assert.ok(most - before < size / 2, `${most - before} MB more`)
})
