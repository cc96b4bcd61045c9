PairPrediction = predict_pair = speed_exponent = None
