import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface TemplateRow extends RecordRow {
  name: string
  description: string | null
  /** The Twig code, byte for byte. */
  template: string
}

export type TemplateTables = {
  twig_templates: RecordTable<TemplateRow>
}
