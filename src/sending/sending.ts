import { randomUUID } from 'node:crypto'
import type { Contacts } from '../contacts/index.ts'
import type { Emails } from '../emails/index.ts'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Mailer } from '../mailer/index.ts'
import type { Storage } from '../storage/index.ts'
import type { LintTemplate, TemplateSources, Templates } from '../templates/index.ts'
import type { Transports } from '../transports/index.ts'
import { createTwig, type Twig } from '../twig/index.ts'
import type { Deliver } from './deliver.ts'
import { type Deliveries, openDeliveries } from './deliveries/deliveries.ts'
import { addDeliveryRoutes } from './deliveries/routes.ts'
import { createFindDependents } from './dependents/find-dependents.ts'
import { createMeasureImpact } from './dependents/impact.ts'
import { addDependentRoutes } from './dependents/routes.ts'
import { openJobs } from './jobs/open-jobs.ts'
import { addSendingRoutes } from './jobs/routes.ts'
import type { Sendings } from './jobs/sendings.ts'
import { type Acknowledgements, openAcknowledgements } from './journal/acknowledgements.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import { Processes } from './journal/processes.ts'
import { createUpkeep } from './journal/upkeep.ts'
import { openOutlets } from './outlets/outlets.ts'
import { createFindRefusal, type FindRefusal } from './rendering/email-faults.ts'
import { type EmailRendererOptions, prepareEmail } from './rendering/email-renderer.ts'
import { addSendRoutes } from './single/routes.ts'
import { createSendToContact } from './single/send-to-contact.ts'
import { openUnderWay } from './under-way.ts'
import { createFindWay, type FindWay } from './way/find-way.ts'
import { addResolveRoute } from './way/routes.ts'
import { createFindTransportOfEmail } from './way/transport-of-email.ts'

/** What sending is opened with. */
export interface SendingOptions {
  storage: Storage
  clock: Clock
  log: Log
  mailer: Mailer
  emails: Emails
  contacts: Contacts
  transports: Transports
  templates: Templates
  templateSources: TemplateSources
  twig: Twig
  lint: LintTemplate
  /** The operator's default transport. */
  defaultDsn: string | undefined
  /** The sender of emails that name none. */
  defaultFrom: string
  keepDeliveriesMs: number
  holdUncertainMs: number
}

/** Decides which way a message leaves, renders and sends it, and keeps what became of it. */
export interface Sending {
  findWay: FindWay
  deliver: Deliver
  recall: Journal['recall']
  /** See `Acknowledgements`. */
  noteAcknowledged: Acknowledgements['note']
  rendering: EmailRendererOptions
  deliveries: Deliveries
  sendings: Pick<Sendings, 'list'>
  addRoutes(app: HttpApp, callers: Callers): void
  /** Begins to send what is due. */
  start(): Promise<void>
  /**
   * Stops the jobs of this process, while others are still served, and waits for what is under way to one
   * contact, or for the relay; it is cancelled after `timeMs`, so that whoever waits is told what is known by then.
   */
  drain(timeMs: number): Promise<void>
  /** Takes nothing more, and cancels what is under way. */
  stop(): Promise<void>
}

export function openSending(options: SendingOptions): Sending {
  const { storage, clock, log, templateSources: sources, defaultDsn, defaultFrom } = options
  const processId = randomUUID()
  const outlets = openOutlets({ ...options, defaultDsn })
  const findWay = createFindWay({ storage, hasDefault: defaultDsn !== undefined })
  const engines = { html: options.twig, text: createTwig({ autoescape: false }) }
  const rendering = { engines, sources, defaultFrom }
  const findRefusal = createFindRefusal(sources)
  const journal = openJournal({ storage, clock, processId })
  const recall: Journal['recall'] = (recipients) => journal.recall(recipients)
  const { deliver, ...underWay } = openUnderWay({ journal, outlets, log })
  const { worker, sendings, start, recover, onSettled } = openJobs({
    ...{ storage, clock, log, processId, outlets, findWay },
    findEmail: (id) => options.emails.findRow(id),
    prepareEmail: (email) => prepareEmail(email, rendering),
    findRefusal,
  })
  const deliveries = openDeliveries(storage, onSettled)
  const processes = new Processes({ storage, log, processId, onDead: recover })
  const acknowledgements = openAcknowledgements(storage, options)
  const upkeep = openUpkeep(options)
  const parts = { findWay, deliver, recall, rendering, sendings, deliveries }
  return {
    ...parts,
    noteAcknowledged: (messageKeys) => acknowledgements.note(messageKeys),
    addRoutes: (app, callers) => addRoutes(app, { ...options, ...parts, findRefusal, callers }),
    async start() {
      await processes.start()
      upkeep.start()
      await start()
    },
    async drain(timeMs) {
      await Promise.all([worker.stop(), underWay.drain(timeMs)])
    },
    async stop() {
      await worker.stop()
      await underWay.cancel()
      await acknowledgements.close()
      upkeep.stop()
      await outlets.close()
      await processes.stop()
    },
  }
}

function openUpkeep(options: SendingOptions) {
  const { keepDeliveriesMs: keepMs, holdUncertainMs: holdMs } = options
  return createUpkeep({ ...options, keepMs, holdMs })
}

interface RouteParts
  extends SendingOptions,
    Pick<Sending, 'findWay' | 'deliver' | 'recall' | 'rendering'> {
  callers: Callers
  sendings: Sendings
  deliveries: Deliveries
  findRefusal: FindRefusal
}

function addRoutes(app: HttpApp, parts: RouteParts): void {
  const { storage, templateSources, findWay, rendering, sendings, deliveries } = parts
  const findDependents = createFindDependents(storage, templateSources)
  const measureImpact = createMeasureImpact(findDependents, rendering)
  const findTransportOfEmail = createFindTransportOfEmail(parts)
  addResolveRoute(app, { findWay, findTransportOfEmail, callers: parts.callers })
  addSendRoutes(app, { ...parts, sendToContact: createSendToContact(parts) })
  addSendingRoutes(app, sendings, parts.callers)
  addDeliveryRoutes(app, deliveries, parts.callers)
  addDependentRoutes(app, { ...parts, findDependents, measureImpact })
}
