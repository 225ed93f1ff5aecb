import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { ReadField, Reading } from './field.tsx'

/** Several rows of controls, each with a button that removes it, and one that adds a row. */
export function RowsField<Row extends object>({
  label,
  help,
  fault,
  value: rows,
  onValue,
  texts,
  empty,
  shown,
  children,
}: {
  label: string
  help?: ComponentChildren
  fault?: string | undefined
  value: readonly Row[]
  onValue: (rows: readonly Row[]) => void
  texts: { add: string; remove: (place: number) => string }
  /** A row that is added. */
  empty: Row
  /** A row where it is read. */
  shown: (row: Row) => string
  /** The controls of a row, whose place counts from 1. */
  children: (row: Row, place: number, change: (changed: Partial<Row>) => void) => ComponentChildren
}) {
  if (useContext(Reading) !== undefined)
    return <ReadField label={label}>{rows.map(shown).join('\n')}</ReadField>
  return (
    <fieldset class="field headers">
      <legend class="label">{label}</legend>
      {rows.map((row, index) => (
        <div key={index} class="header-row">
          {children(row, index + 1, (changed) => onValue(rows.with(index, { ...row, ...changed })))}
          <Button
            kind="plain"
            aria-label={texts.remove(index + 1)}
            onClick={() => onValue(rows.toSpliced(index, 1))}
          >
            {words.remove}
          </Button>
        </div>
      ))}
      <span class="help">{help}</span>
      {fault !== undefined && <span class="fault">{fault}</span>}
      <div class="row">
        <Button onClick={() => onValue([...rows, empty])}>{texts.add}</Button>
      </div>
    </fieldset>
  )
}
