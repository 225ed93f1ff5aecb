/** Says that a message holds more to render than is rendered for anybody. */
export class TooLargeToRender extends Error {
  override readonly name = 'TooLargeToRender'
}
