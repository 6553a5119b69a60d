module.exports = async (output, context) => ({
  pass: output.split(' ').length <= context.config.most,
  score: 0.9,
  reason: `at most ${context.config.most} words`,
});
module.exports.first = (output) => /^the/i.test(output);
module.exports.expected = (output, context) => context.vars.text.split(' ').slice(-2).join(' ');
