import type { Core } from '../../core/core.ts'
import {
  addDependentRoutes,
  createFindDependents,
  createMeasureImpact,
  createReadContactData,
} from '../../core/emails/index.ts'
import type { Module } from '../../core/module.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { addEmailPreviewRoutes } from './email-routes.ts'
import { createPreviewEmail } from './preview-email.ts'
import { addDrillRoute } from './routing/drill-routes.ts'
import { addResolveRoute } from './routing/routes.ts'
import { createEmailTest } from './send-test.ts'
import { addTemplateTestRoute } from './template-routes.ts'

/** Shows what would be sent, and through what. */
export class PreviewModule implements Module {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  addRoutes(server: HttpApp, callers: Callers): void {
    const { storage, clock, log, work, emails, contacts, transports, mautics } = this.#core
    const { templates, lint, templateSources: sources, hooks } = this.#core
    const { resolveRoute, rendering, deliverer } = this.#core.delivery
    const readContactData = createReadContactData(contacts, rendering.readContact)
    const findDependents = createFindDependents(storage, this.#core.references)
    const { check: checkSender } = this.#core.sendingBrands
    const sendTest = createEmailTest({ deliverer, checkSender, clock, log })
    addResolveRoute(server, { resolveRoute, mautics, emails, contacts, rendering, callers })
    addDrillRoute(server, {
      storage,
      clock,
      resolveRoute,
      transports,
      mautics,
      callers,
      findMoved: async (question) => (await hooks.moved.first(question)) ?? [],
    })
    addEmailPreviewRoutes(server, {
      emails,
      readContactData,
      previewEmail: createPreviewEmail({ emails, resolveRoute, rendering, sources, checkSender }),
      sendTest,
      callers,
      work,
    })
    addTemplateTestRoute(server, {
      templates,
      transports,
      readContactData,
      resolveRoute,
      rendering,
      sendTest,
      callers,
    })
    addDependentRoutes(server, {
      templates,
      lint,
      findDependents,
      measureImpact: createMeasureImpact({ findDependents, templates, emails, rendering }),
      readContactData,
      callers,
    })
  }
}
