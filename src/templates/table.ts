import type { RecordRow, RecordTable } from '../storage/index.ts'

export interface TemplateRow extends RecordRow {
  name: string
  /** See `nameKey`. */
  name_key: string
  description: string | null
  /** The Twig code, byte for byte. */
  template: string
  /** JSON: the names of the templates that it refers to, as they are written. */
  refers_to: string
}

/** A template as it was saved once. */
export interface TemplateVersionRow {
  template_id: number
  /** The revision of the template. */
  version: number
  name: string
  description: string | null
  template: string
  saved_at: number
  saved_by: string
  note: string | null
}

export type TemplateTables = {
  twig_template_versions: TemplateVersionRow
  twig_templates: RecordTable<TemplateRow>
}
