import { createRequire } from 'node:module'
import type prom from 'prom-client'

const require = createRequire(import.meta.url)

/**
 * The parts of `prom-client` that count, loaded at the start. The whole package takes fifteen times as long and 10 MB,
 * because its default metrics load OpenTelemetry and HTTP clients; they are loaded at the first scrape.
 */
export const Registry = require('prom-client/lib/registry') as typeof prom.Registry
export const Counter = require('prom-client/lib/counter') as typeof prom.Counter
export const Gauge = require('prom-client/lib/gauge') as typeof prom.Gauge
export const Histogram = require('prom-client/lib/histogram') as typeof prom.Histogram

/** Adds the metrics of the process and of Node to a registry. */
export async function addProcessMetrics(register: prom.Registry): Promise<void> {
  const { collectDefaultMetrics } = await import('prom-client')
  collectDefaultMetrics({ register })
}
