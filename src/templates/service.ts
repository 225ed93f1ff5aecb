import { presentStamps } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { fold } from '../kit/fold.ts'
import { openRecords, type Records, type Storage } from '../storage/index.ts'
import { type Twig, TwigError } from '../twig/index.ts'
import { templateNotFound, templateRefused } from './errors.ts'
import { type TemplateInput, type TemplateItem, templateFields } from './schema.ts'
import type { TemplateRow } from './table.ts'

export type Templates = Records<TemplateRow, TemplateItem, TemplateInput>

/** The Twig templates; code that can never run is refused when it is saved. */
export function openTemplates(options: { storage: Storage; clock: Clock; twig: Twig }): Templates {
  const { storage, clock, twig } = options
  return openRecords<TemplateRow, TemplateItem, TemplateInput>(storage, clock, {
    table: 'twig_templates',
    nameColumn: 'name',
    fields: templateFields,
    area: 'twigtemplates',
    notFound: templateNotFound,
    present: (rows) => rows.map(presentTemplate),
    findFaults: async ({ template }) =>
      typeof template === 'string' ? faultsOf(() => checkTemplate(twig, template)) : {},
    begin: () => ({
      toInput,
      toColumns(input) {
        checkTemplate(twig, input.template)
        return toColumns(input)
      },
    }),
  })
}

function checkTemplate(twig: Twig, template: string): void {
  try {
    twig.parse(template)
  } catch (error) {
    throw error instanceof TwigError ? templateRefused(error) : error
  }
}

function presentTemplate(row: TemplateRow): TemplateItem {
  return {
    id: row.id,
    name: row.name,
    template: row.template,
    description: row.description,
    ...presentStamps(row),
  }
}

function toInput(row: TemplateRow): TemplateInput {
  return {
    name: row.name,
    template: row.template,
    description: row.description,
    isPublished: Boolean(row.is_published),
  }
}

function toColumns(input: TemplateInput) {
  return {
    name: input.name,
    template: input.template,
    description: input.description ?? null,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.description),
  }
}
