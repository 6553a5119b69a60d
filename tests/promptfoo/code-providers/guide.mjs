export default class Guide {
  constructor(options) {
    this.options = options;
  }

  id() {
    return 'guide';
  }

  async callApi(prompt, context) {
    return { output: `${prompt}In ${context.vars.street}, with a ${this.options.config.tone} word.\n` };
  }
}
