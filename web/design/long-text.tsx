import { Fragment } from 'preact'

/** After a sign, but not inside a number, or after many letters: four letters are left at either side. */
const places =
  /(?<=[^\s-]{3}[@.:/_=])(?!(?<=\d\.)\d)(?=[^\s-]{4})|(?<=[\p{L}\d]{12})(?=[\p{L}\d]{4})/u

/** A text whose long words, such as an address, go on in the next line where a reader expects it. */
export function LongText({ text }: { text: string }) {
  return text.split(places).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
