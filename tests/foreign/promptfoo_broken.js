// A provider that always fails.
module.exports = class {
  id() {
    return 'broken';
  }

  async callApi() {
    return { error: 'the service is not there' };
  }
};
